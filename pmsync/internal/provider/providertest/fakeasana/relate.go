package fakeasana

import "slices"

// setParent sets or clears a task's parent.
func (c *call) setParent(t *task) (any, *failure) {
	var parent *task
	if id, _ := c.data["parent"].(string); id != "" {
		var f *failure
		if parent, f = c.theTask(id); f != nil {
			return nil, f
		}
		if slices.Contains(above(parent), t) {
			return nil, fail(400, "parent: A task cannot be a subtask of itself")
		}
	}
	if t.parent != nil {
		c.w.near[t.parent.gid] = slices.DeleteFunc(c.w.near[t.parent.gid], func(o *task) bool { return o == t })
	}
	if t.parent = parent; parent != nil {
		c.w.near[parent.gid] = append(c.w.near[parent.gid], t)
	}
	t.writes["parent"]++
	c.w.touch(t)
	return c.shown(t), nil
}

// above returns a task and its ancestors.
func above(t *task) (all []*task) {
	for ; t != nil; t = t.parent {
		all = append(all, t)
	}
	return all
}

func (c *call) addProject(t *task) (any, *failure) {
	id, _ := c.data["project"].(string)
	p, f := c.theProject(id)
	if f == nil && t.in(p) == nil {
		c.w.section(t, p, p.sections[0])
	}
	return object{}, f
}

func (c *call) addDependencies(t *task) (any, *failure) {
	return c.waits(t, "dependencies", func(t, other *task) (waiting, on *task) { return t, other })
}

func (c *call) addDependents(t *task) (any, *failure) {
	return c.waits(t, "dependents", func(t, other *task) (waiting, on *task) { return other, t })
}

// waits adds dependencies to tasks.
func (c *call) waits(t *task, name string, ends func(t, other *task) (waiting, on *task)) (any, *failure) {
	ids, _ := c.data[name].([]any)
	for _, id := range ids {
		text, _ := id.(string)
		other, f := c.theTask(text)
		if f != nil {
			return nil, f
		}
		waiting, on := ends(t, other)
		if slices.Contains(waiting.waits, on) {
			continue
		}
		waiting.waits = append(waiting.waits, on)
		c.w.near[on.gid] = append(c.w.near[on.gid], waiting)
		c.w.touch(waiting)
	}
	return object{}, nil
}

func (c *call) attachments() (any, *failure) {
	t, f := c.theTask(c.q.Get("parent"))
	if f != nil {
		return nil, f
	}
	return c.page(len(t.files), func(i int) int { return i }, func(i int) any { return c.pick(t.files[i], "name", "resource_subtype") })
}
