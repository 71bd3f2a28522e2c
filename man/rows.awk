# rows.awk: puts the rows of --help=man, in the file `rows`, into a manual page between its marks.
/^\.\\" Rows of --help/ {
	print
	while ((getline line < rows) > 0)
		print line
	inside = 1
}
/^\.\\" end of rows/ { inside = 0 }
!inside
