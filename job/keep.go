package job

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// shownHash is how many digits of a plan's hash its file names carry; 12 tell 16 million
// plans of a night apart.
const shownHash = 12

// keep writes the plan and its script beside the state, where people and apply find them.
func (n Night) keep(d Decision) (planFile, scriptFile string, err error) {
	folder := filepath.Join(filepath.Dir(n.Config.State), "plans")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", "", fmt.Errorf("keep the plan: %w: make the state's folder writable", err)
	}
	name := filepath.Join(folder, n.Window.Night()+"-"+d.PlanHash[:shownHash])
	planFile, scriptFile = name+".json", name+".sql"
	err = errors.Join(writeWhole(planFile, d.PlanJSON), writeWhole(scriptFile, []byte(d.Script)))
	return planFile, scriptFile, err
}

// writeWhole makes a file appear at once, so that nobody reads half a plan.
func writeWhole(name string, data []byte) (err error) {
	temporary, err := os.CreateTemp(filepath.Dir(name), ".ajlo-*")
	if err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("keep %s: %w", name, err), os.Remove(temporary.Name()))
		}
	}()
	if _, err = temporary.Write(data); err != nil {
		return errors.Join(err, temporary.Close())
	}
	if err = errors.Join(temporary.Chmod(0o644), temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), name)
}
