! tau.f90: a module with the interfaces of the calls of libtauf.a that have arguments, for programs that compile it with their own
! sources. Programs written for TAU call the same subroutines without it.
module tau
  implicit none
  interface
    subroutine tau_profile_timer(timer, name)
      integer, intent(inout) :: timer(2)
      character(*), intent(in) :: name
    end subroutine
    subroutine tau_profile_start(timer)
      integer, intent(in) :: timer(2)
    end subroutine
    subroutine tau_profile_stop(timer)
      integer, intent(in) :: timer(2)
    end subroutine
    subroutine tau_start(name)
      character(*), intent(in) :: name
    end subroutine
    subroutine tau_stop(name)
      character(*), intent(in) :: name
    end subroutine
    subroutine tau_static_phase_start(name)
      character(*), intent(in) :: name
    end subroutine
    subroutine tau_static_phase_stop(name)
      character(*), intent(in) :: name
    end subroutine
    subroutine tau_dynamic_timer_start(number, name)
      integer, intent(in) :: number
      character(*), intent(in) :: name
    end subroutine
    subroutine tau_dynamic_timer_stop(number, name)
      integer, intent(in) :: number
      character(*), intent(in) :: name
    end subroutine
    subroutine tau_phase_create_static(phase, name)
      integer, intent(inout) :: phase(2)
      character(*), intent(in) :: name
    end subroutine
    subroutine tau_phase_create_dynamic(phase, name)
      integer, intent(inout) :: phase(2)
      character(*), intent(in) :: name
    end subroutine
    subroutine tau_phase_start(phase)
      integer, intent(in) :: phase(2)
    end subroutine
    subroutine tau_phase_stop(phase)
      integer, intent(in) :: phase(2)
    end subroutine
    subroutine tau_profile_param_1l(name, value)
      character(*), intent(in) :: name
      integer, intent(in) :: value
    end subroutine
    subroutine tau_register_event(event, name)
      integer, intent(inout) :: event(2)
      character(*), intent(in) :: name
    end subroutine
    subroutine tau_event(event, value)
      integer, intent(in) :: event(2)
      double precision, intent(in) :: value
    end subroutine
    subroutine tau_metadata(name, value)
      character(*), intent(in) :: name, value
    end subroutine
    subroutine tau_profile_set_node(node)
      integer, intent(in) :: node
    end subroutine
  end interface
end module
