package manifest

// parseDuneProject reads the packages that dune-project defines: opam files may be generated from it and not be committed.
func parseDuneProject(d *draft, text string) {
	forms := d.forms(text)
	own := map[string]bool{}
	for _, f := range forms {
		switch field, value := duneField(f); field {
		case "name":
			d.Name = value
		case "version":
			d.Version = value
		case "package":
			for _, inner := range f.in[1:] {
				if field, value := duneField(inner); field == "name" && value != "" {
					own[value] = true
					setOnce(&d.Name, value)
				}
			}
		}
	}
	for _, f := range forms {
		if field, _ := duneField(f); field != "package" {
			continue
		}
		name, synopsis := "", ""
		for _, inner := range f.in[1:] {
			switch field, value := duneField(inner); field {
			case "name":
				name = value
			case "synopsis":
				synopsis = value
			case "depends":
				for _, one := range inner.in[1:] {
					d.duneDependency(one, own)
				}
			}
		}
		if name == d.Name {
			d.Description = clean(synopsis)
		}
	}
}

// duneField returns the first word of a form, and its second when that is not a form itself.
func duneField(f form) (field, value string) {
	if f.kind != '(' || len(f.in) == 0 || f.in[0].kind != 'a' {
		return "", ""
	}
	if len(f.in) > 1 && (f.in[1].kind == 'a' || f.in[1].kind == '"') {
		value = f.in[1].text
	}
	return f.in[0].text, value
}

// duneDependency adds "lwt", "(lwt (>= 5.0))" or "(alcotest (and :with-test (>= 1)))".
func (d *draft) duneDependency(f form, own map[string]bool) {
	group := Runtime
	if f.kind == '(' && len(f.in) > 0 {
		group = duneGroup(f.in[1:])
		f = f.in[0]
	}
	if f.kind == 'a' && f.text != "ocaml" {
		d.add(Dependency{Name: f.text, Group: group, Local: own[f.text]})
	}
}

func duneGroup(filter []form) Group {
	for _, f := range filter {
		switch f.text {
		case ":with-test", ":with-doc", ":with-dev-setup":
			return Dev
		case ":build":
			return Build
		}
		if group := duneGroup(f.in); group != Runtime {
			return group
		}
	}
	return Runtime
}
