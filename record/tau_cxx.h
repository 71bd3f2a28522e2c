/*
 * tau_cxx.h: what TAU.h offers to C++: timers and phases that end with their scope, names that are std::string, and timers that are
 * found by a key. TAU.h includes it.
 */
#ifndef TAU_CXX_H
#define TAU_CXX_H

extern "C++" {

#include <cxxabi.h>
#include <map>
#include <string>
#include <typeinfo>

#define TAU_NO_HOOKS __attribute__((no_instrument_function))

namespace tau {

TAU_NO_HOOKS inline const char *text(const char *s)
{
	return s;
}
template <class String> TAU_NO_HOOKS const char *text(const String &s)
{
	return s.c_str();
}

template <class Name, class Type>
TAU_NO_HOOKS void create(void **timer, const Name &name, const Type &type, TauGroup_t group,
	    const char *group_name)
{
	Tau_profile_c_timer(timer, text(name), text(type), group, group_name);
}

/* "NAME [1]" at the first pass, "NAME [2]" at the next. */
template <class Name, class Type>
TAU_NO_HOOKS void create_numbered(void **timer, int number, const Name &name, const Type &type, TauGroup_t group,
		     const char *group_name)
{
	Tau_profile_dynamic_auto(number, timer, (std::string(text(name)) + " ").c_str(), text(type),
				 group, group_name);
}

class scope {
	void *timer;
	scope(const scope &);
	scope &operator=(const scope &);

    public:
	TAU_NO_HOOKS explicit scope(void *t) : timer(t)
	{
		if (timer)
			Tau_start_timer(timer, 0, 0);
	}
	TAU_NO_HOOKS ~scope()
	{
		if (timer)
			Tau_stop_timer(timer, 0);
	}
};

TAU_NO_HOOKS inline std::string type_name(const std::type_info &info)
{
	int status = 0;
	char *readable = abi::__cxa_demangle(info.name(), NULL, NULL, &status);
	std::string name = status == 0 && readable ? readable : info.name();

	std::free(readable);
	return name;
}

/* One in the program. Keys are to be set before threads use them. */
TAU_NO_HOOKS inline void *&by_key(unsigned long key)
{
	static std::map<unsigned long, void *> timers;

	return timers[key];
}

} /* namespace tau */

} /* extern "C++" */

#define TAU_PROFILE(name, type, group) \
	static void *tau_timer = NULL; \
	if (!tau_timer) \
		tau::create(&tau_timer, name, type, (TauGroup_t)(group), #group); \
	tau::scope tau_scope(tau_timer)
#define TAU_PHASE(name, type, group) \
	static void *tau_timer = NULL; \
	if (!tau_timer) \
		tau::create(&tau_timer, name, type, (TauGroup_t)(group), #group "|TAU_PHASE"); \
	tau::scope tau_scope(tau_timer)
#define TAU_DYNAMIC_PROFILE(name, type, group) TAU_NUMBERED(name, type, group, #group)
#define TAU_DYNAMIC_PHASE(name, type, group) TAU_NUMBERED(name, type, group, #group "|TAU_PHASE")
#define TAU_NUMBERED(name, type, group, group_name) \
	static int tau_number = 0; \
	void *tau_timer = NULL; \
	tau::create_numbered(&tau_timer, ++tau_number, name, type, (TauGroup_t)(group), \
			     group_name); \
	tau::scope tau_scope(tau_timer)

/* Outside functions, too. */
#undef TAU_REGISTER_EVENT
#define TAU_REGISTER_EVENT(event, name) static void *event = Tau_get_userevent(name)

#define TAU_CT(object) tau::type_name(typeid(object))
#define TAU_TYPE_STRING(variable, text) static std::string variable(text)
#define CT(object) TAU_CT(object)
#define TYPE_STRING(variable, text) TAU_TYPE_STRING(variable, text)
#define TAU_NEW(expression, size) expression
#define TAU_DELETE(expression, variable) expression

/* Timers of objects: created under a key in one place, started in another. */
#define TAU_MAPPING(statement, key) \
	{ \
		static void *tau_mapped = NULL; \
		tau::create(&tau_mapped, #statement, " ", key, #key); \
		tau::by_key(key) = tau_mapped; \
		Tau_start_timer(tau_mapped, 0, 0); \
		statement; \
		Tau_stop_timer(tau_mapped, 0); \
	}
#define TAU_MAPPING_CREATE(name, type, key, group_name, thread) \
	{ \
		void *tau_mapped = NULL; \
		tau::create(&tau_mapped, name, type, TAU_USER, group_name); \
		tau::by_key((unsigned long)(key)) = tau_mapped; \
	}
#define TAU_MAPPING_CREATE1(name, type, key, group, group_name, thread) \
	TAU_MAPPING_CREATE(name, type, key, group_name, thread)
#define TAU_MAPPING_TIMER_CREATE(timer, name, type, group, group_name) \
	tau::create(&timer, name, type, group, group_name)
#define TAU_MAPPING_OBJECT(timer) void *timer;
#define TAU_MAPPING_LINK(timer, key) timer = tau::by_key((unsigned long)(key))
#define TAU_MAPPING_PROFILE(timer) tau::scope timer##_scope(timer)
#define TAU_MAPPING_PROFILE_TIMER(timer, from, thread) void *timer = from
#define TAU_MAPPING_PROFILE_START(timer, thread) Tau_start_timer(timer, 0, 0)
#define TAU_MAPPING_PROFILE_STOP(thread) Tau_global_stop()
#define TAU_MAPPING_PROFILE_STOP_TIMER(timer, thread) Tau_stop_timer(timer, 0)

#define TAU_MAPPING_REGISTER(name, key) \
	{ \
		void *tau_mapped = NULL; \
		tau::create(&tau_mapped, name, " ", key, #key); \
		tau::by_key((unsigned long)(key)) = tau_mapped; \
	}
/* The same as the names without MAPPING. */
#define TAU_MAPPING_PROFILE_EXIT(message, thread) TAU_PROFILE_EXIT(message)
#define TAU_MAPPING_DB_DUMP(thread) TAU_DB_DUMP()
#define TAU_MAPPING_DB_PURGE(thread) TAU_DB_PURGE()
#define TAU_MAPPING_PROFILE_SET_NODE(node, thread) TAU_PROFILE_SET_NODE(node)
#define TAU_MAPPING_PROFILE_SET_NAME(timer, name) TAU_PROFILE_TIMER_SET_NAME(timer, name)
#define TAU_MAPPING_PROFILE_SET_TYPE(timer, type) TAU_PROFILE_TIMER_SET_TYPE(timer, type)
#define TAU_MAPPING_PROFILE_SET_GROUP(timer, group) TAU_PROFILE_TIMER_SET_GROUP(timer, group)
#define TAU_MAPPING_PROFILE_SET_GROUP_NAME(timer, name) TAU_PROFILE_TIMER_SET_GROUP_NAME(timer, name)
#define TAU_MAPPING_PROFILE_GET_NAME(timer) TAU_PROFILE_TIMER_GET_NAME(timer)
#define TAU_MAPPING_PROFILE_GET_TYPE(timer) TAU_PROFILE_TIMER_GET_TYPE(timer)
#define TAU_MAPPING_PROFILE_GET_GROUP(timer) TAU_PROFILE_TIMER_GET_GROUP(timer)
#define TAU_MAPPING_PROFILE_GET_GROUP_NAME(timer) TAU_PROFILE_TIMER_GET_GROUP_NAME(timer)

#endif
