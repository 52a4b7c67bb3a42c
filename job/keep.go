package job

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"ajlo/job/object"
)

// shownHash is how many digits of a plan's hash its file names carry; 12 tell 16 million
// plans of a night apart.
const shownHash = 12

// plansFolder is the folder beside the state that keeps plans and their scripts.
const plansFolder = "plans"

// keep writes the plan and its script beside the state, where people, apply and a rebuild of the
// state find them.
func (n Night) keep(ctx context.Context, d Decision) (planFile, scriptFile string, err error) {
	name := n.Window.Night() + "-" + d.PlanHash[:shownHash]
	at, stored, err := n.StateFile().folder()
	if err != nil {
		return "", "", err
	}
	if stored {
		return keepStored(ctx, at.Objects, path.Join(plansFolder, name), d)
	}
	folder := filepath.Join(filepath.Dir(n.Config.State), plansFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", "", fmt.Errorf("keep the plan: %w: make the state's folder writable", err)
	}
	planFile, scriptFile = filepath.Join(folder, name+".json"), filepath.Join(folder, name+".sql")
	err = errors.Join(writeWhole(planFile, d.PlanJSON), writeWhole(scriptFile, []byte(d.Script)))
	return planFile, scriptFile, err
}

func keepStored(ctx context.Context, objects object.Store, name string, d Decision) (planFile, scriptFile string, err error) {
	planFile, scriptFile = objects.URL()+"/"+name+".json", objects.URL()+"/"+name+".sql"
	if err := errors.Join(putWhole(ctx, objects, name+".json", d.PlanJSON), putWhole(ctx, objects, name+".sql", []byte(d.Script))); err != nil {
		return "", "", fmt.Errorf("keep the plan: %w", err)
	}
	return planFile, scriptFile, nil
}

// putWhole puts a file in the place of one that an earlier run of the night may have put.
func putWhole(ctx context.Context, objects object.Store, key string, data []byte) error {
	err := objects.PutIfAbsent(ctx, key, data)
	if !errors.Is(err, object.ErrExists) {
		return err
	}
	if err := objects.Delete(ctx, key); err != nil && !errors.Is(err, object.ErrNotFound) {
		return err
	}
	return objects.PutIfAbsent(ctx, key, data)
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
