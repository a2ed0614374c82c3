// Package testfolder makes the folder that tests put their files in.
package testfolder

// Environment adds the folder for the files of tests, made when it is missing, to the environment of a go test; it adds nothing where the
// usual folder for temporary files is as good.
func Environment(env []string) []string {
	if dir := folder(); dir != "" {
		return append(env, "TMPDIR="+dir)
	}
	return env
}
