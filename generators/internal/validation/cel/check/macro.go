package check

import "github.com/typeplane/typeplane/generators/internal/validation/cel/ast"

// macro is what a method makes whose arguments are expressions over a variable, which they name;
// nil for all others.
func macro(name string) func(*checker, *ast.Expr) *typ {
	switch name {
	case "all", "exists", "exists_one", "existsOne":
		return question
	case "filter":
		return filter
	case "map":
		return mapped
	case "sortBy":
		return sorted
	case "optMap", "optFlatMap":
		return optional
	case "transformList", "transformMap", "transformMapEntry":
		return transformed
	}
	return nil
}

// ranges binds the variables of a macro to what it goes over. first is the argument behind them.
func (c *checker) ranges(e *ast.Expr, variables int) (first int) {
	on := c.resolved(c.of(e.On))
	one, key, value := dyn, named("int"), dyn
	switch on.name {
	case "list":
		one, value = on.of[0], on.of[0]
	case "map":
		one, key, value = on.of[0], on.of[0], on.of[1]
	case "":
		c.bound[on], key = dyn, dyn
	case dyn.name:
		key = dyn
	default:
		c.fail("%s: %s goes over a list or a map, and this is a %s", e.Source, e.Name, on)
	}
	if variables == 2 {
		c.locals[e.Args[0].Name], c.locals[e.Args[1].Name] = key, value
		return 2
	}
	c.locals[e.Args[0].Name] = one
	return 1
}

func (c *checker) condition(e *ast.Expr) {
	if t := c.of(e); !c.assigns([]*typ{t}, []*typ{named("bool")}) {
		c.fail("%s is of type %s, and must be bool", e.Source, c.resolved(t))
	}
}

func question(c *checker, e *ast.Expr) *typ {
	c.condition(e.Args[c.ranges(e, len(e.Args)-1)])
	return named("bool")
}

func filter(c *checker, e *ast.Expr) *typ {
	c.condition(e.Args[c.ranges(e, 1)])
	return named("list", c.locals[e.Args[0].Name])
}

func mapped(c *checker, e *ast.Expr) *typ {
	first := c.ranges(e, 1)
	if len(e.Args) == 3 {
		c.condition(e.Args[first])
	}
	return named("list", c.of(e.Args[len(e.Args)-1]))
}

func sorted(c *checker, e *ast.Expr) *typ {
	keys := c.of(e.Args[c.ranges(e, 1)])
	if on := c.of(e.On); !c.assigns([]*typ{on}, []*typ{named("list", new(typ))}) {
		return c.fail("%s: %s is for a list, and this is a %s", e.Source, e.Name, c.resolved(on))
	}
	for _, o := range overloads()[".@sortByAssociatedKeys"] {
		if c.assigns([]*typ{named("list", keys)}, o.fresh().takes[1:]) {
			return named("list", c.locals[e.Args[0].Name])
		}
	}
	return c.fail("%s: there is no order of %s", e.Source, c.resolved(keys))
}

// optional is what optMap and optFlatMap make of the value of an optional.
func optional(c *checker, e *ast.Expr) *typ {
	inner := new(typ)
	if on := c.of(e.On); !c.assigns([]*typ{on}, []*typ{named("optional_type", inner)}) {
		return c.fail("%s: %s is for an optional, and this is a %s", e.Source, e.Name, c.resolved(on))
	}
	c.locals[e.Args[0].Name] = inner
	made := c.of(e.Args[1])
	if e.Name == "optMap" {
		return named("optional_type", made)
	}
	if out := named("optional_type", new(typ)); c.assigns([]*typ{made}, []*typ{out}) {
		return out
	}
	return c.fail("%s is of type %s, and must be an optional", e.Args[1].Source, c.resolved(made))
}

// transformed is the list or map that one of the macros with two variables makes.
func transformed(c *checker, e *ast.Expr) *typ {
	if len(e.Args) < 3 {
		return dyn
	}
	first := c.ranges(e, 2)
	if len(e.Args) == 4 {
		c.condition(e.Args[first])
	}
	key, made := c.locals[e.Args[0].Name], c.of(e.Args[len(e.Args)-1])
	switch e.Name {
	case "transformList":
		return named("list", made)
	case "transformMap":
		return named("map", key, made)
	}
	if out := named("map", new(typ), new(typ)); c.assigns([]*typ{made}, []*typ{out}) {
		return out
	}
	return c.fail("%s is of type %s, and must be a map", e.Args[len(e.Args)-1].Source, c.resolved(made))
}
