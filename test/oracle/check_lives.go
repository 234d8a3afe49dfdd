package main

import "fmt"

// checkLives is C11. It looks at nothing but what happened.
func checkLives(v *view) []string {
	var bad []string
	for i := range v.Truth.Versions {
		ver := &v.Truth.Versions[i]
		if text := v.wrongStep(ver, v.before[i]); text != "" {
			bad = append(bad, text)
		}
	}
	return bad
}

// wrongStep says why ver must not follow before, which is nil or a deletion for nothing.
func (v *view) wrongStep(ver, before *Version) string {
	if before == nil || before.Deleted {
		switch {
		case ver.Deleted:
			return fmt.Sprintf("%s, where there was nothing", ver)
		case ver.Deleting:
			return fmt.Sprintf("%s was created as if it were being deleted", ver)
		case v.lives[ver.UID].born != ver:
			return fmt.Sprintf("%s is an object that was deleted", ver)
		}
		return ""
	}
	switch {
	case ver.Deleted && !before.Deleting && before.Finalizers != "":
		return fmt.Sprintf("%s was removed at revision %d although it had the finalizers %s", before, ver.Revision, before.Finalizers)
	case ver.Deleted:
		return ""
	case ver.UID != before.UID:
		return fmt.Sprintf("%s took the place of %s, which had not been deleted", ver, before)
	case ver.Deleting && ver.Finalizers == "":
		return fmt.Sprintf("%s is being deleted and waits for nothing", ver)
	case before.Deleting && !ver.Deleting:
		return fmt.Sprintf("%s is not being deleted any more, although %s was", ver, before)
	case ver.Deleting && changesFinalizers(before.Finalizers, "+"+ver.Finalizers) != before.Finalizers:
		return fmt.Sprintf("%s has more finalizers than %s, which was being deleted", ver, before)
	case ver.Deleting && !before.Deleting && (ver.Content != before.Content || ver.Owners != before.Owners || ver.Around != before.Around):
		return fmt.Sprintf("%s was changed by its deletion to %+v, %s", before, ver.Object, ver.Owners)
	}
	return ""
}
