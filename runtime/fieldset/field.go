package fieldset

// A compare is a function that compares two values of a type, either of which may be nil: JSON does
// not show it. The Comparison is at the value's path already. Whether the value as a whole came or
// went is for the caller to mark.
type compare[T any] = func(c *Comparison, old, obj *T)

// Field compares a field by what compares values of its type.
func Field[T any](c *Comparison, name string, old, obj *T, values compare[T]) {
	if old == nil && obj == nil {
		return
	}
	c.Enter(name)
	values(c, old, obj)
	c.mark(old != nil, obj != nil)
	c.Leave()
}

// FilledList is Field for a list that JSON shows if there is something in it.
func FilledList[S ~[]T, T any](c *Comparison, name string, old, obj *S, values compare[S]) {
	if len(*old) == 0 && len(*obj) == 0 {
		return
	}
	Field(c, name, If(len(*old) > 0, old), If(len(*obj) > 0, obj), values)
}

// FilledMap is Field for a map that JSON shows if there is something in it.
func FilledMap[M ~map[K]V, K comparable, V any](c *Comparison, name string, old, obj *M, values compare[M]) {
	if len(*old) == 0 && len(*obj) == 0 {
		return
	}
	Field(c, name, If(len(*old) > 0, old), If(len(*obj) > 0, obj), values)
}

// If is p if ok, else nil.
func If[T any](ok bool, p *T) *T {
	if !ok {
		return nil
	}
	return p
}

// Value is a value to read fields of, and whether it is there: an empty one stands for one that is
// not.
func Value[T any](p *T) (*T, bool) {
	if p == nil {
		return new(T), false
	}
	return p, true
}

// Leaf compares values that are owned as a whole.
func Leaf[T any](c *Comparison, old, obj *T) {
	if old != nil && obj != nil && !Same(old, obj) {
		c.Change()
	}
}

// Pointer compares pointers by what compares the values that they point to. JSON shows a nil
// pointer as null.
func Pointer[T any](c *Comparison, old, obj **T, values compare[T]) {
	was, is := pointed(old), pointed(obj)
	if was == nil && is == nil {
		return
	}
	differences := c.differences
	values(c, was, is)
	// Null and an empty value are told apart by their parent alone.
	if old != nil && obj != nil && (was == nil) != (is == nil) && c.differences == differences {
		c.Change()
	}
}

func pointed[T any](p **T) *T {
	if p == nil {
		return nil
	}
	return *p
}
