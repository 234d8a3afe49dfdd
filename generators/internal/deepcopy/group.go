package deepcopy

// most is how many pointers of a struct are allocated together at most.
const most = 4

// groups parts the fields of a struct. Up to four neighbouring pointers whose memory may be
// allocated together make a group, which stands where its first field does. All other fields stand
// one by one.
func (p *printer) groups(fields []field) [][]field {
	var out [][]field
	open := -1 // the group that the next pointer joins
	for _, f := range fields {
		switch {
		case !joins(f.node) || p.slab(f.node) != "":
			out = append(out, []field{f})
		case open >= 0 && len(out[open]) < most:
			out[open] = append(out[open], f)
		default:
			open = len(out)
			out = append(out, []field{f})
		}
	}
	return out
}

// joins tells whether a field is a pointer to something that is copied to memory that is there
// already.
func joins(n *node) bool {
	if n.how != pointer {
		return false
	}
	switch n.elem.how {
	case assign, generated, function:
		return true
	case manual:
		return n.elem.byValue || n.elem.into
	}
	return false
}
