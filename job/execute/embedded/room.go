package embedded

import (
	"sync"

	"ajlo/job/execute"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// promises are what steps that were checked, and not yet begun, will take of their disks: all steps
// of a night are checked before the first is applied, and the files of before stay beside the new.
type promises struct {
	mu sync.Mutex
	of map[table.Location]promise
}

type promise struct {
	disk  string
	bytes unit.Bytes
}

func (p *promises) make(at table.Location, disk string, bytes unit.Bytes) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[table.Location]promise{}
	}
	p.of[at] = promise{disk, bytes}
}

// drop ends a promise: what the step takes now is seen on the disk.
func (p *promises) drop(at table.Location) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.of, at)
}

// on is what is promised of a disk to steps on other tables.
func (p *promises) on(disk string, but table.Location) (bytes unit.Bytes) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for at, promised := range p.of {
		if at != but && promised.disk == disk {
			bytes += promised.bytes
		}
	}
	return bytes
}

// wanted is what a step will put on disks.
type wanted struct {
	files   unit.Bytes // of all new files that are not there yet, with what is to spare
	spilled unit.Bytes // of rows that wait, at the same time
	others  bool       // whether what is promised to other steps has to fit beside it
}

// checkRoom refuses where a step does not fit on the disks of its table and of the rows that wait,
// which may be one.
func (e *Engine) checkRoom(step plan.Step, store object.Store, w wanted) error {
	dir, err := execute.FolderOf(store)
	if err != nil {
		return err
	}
	spill, err := e.o.Disk(e.o.Spill)
	if err != nil {
		return err
	}
	here := ""
	if dir != "" {
		if here, err = e.o.Disk(dir); err != nil {
			return err
		}
		if err := e.checkDisk(step, dir, w.files+e.promised(step, here, w), "make room or lower the budget"); err != nil {
			return err
		}
	}
	if w.spilled == 0 {
		return nil
	}
	needed := w.spilled + e.promised(step, spill, w)
	if dir != "" && here == spill {
		needed += w.files
	}
	return e.checkDisk(step, e.o.Spill, needed, "rows that do not fit in memory wait there: make room, raise engine.memory or name another folder as engine.spill")
}

func (e *Engine) promised(step plan.Step, disk string, w wanted) unit.Bytes {
	if !w.others {
		return 0
	}
	return e.promises.on(disk, step.Location)
}

func (e *Engine) checkDisk(step plan.Step, dir string, needed unit.Bytes, advice string) error {
	free, err := e.o.FreeSpace(dir)
	if err != nil {
		return err
	}
	if free < needed {
		return execute.Refuse(step, "the disk of %s has %d bytes free, the rewrite and those before it need %d: %s", dir, free, needed, advice)
	}
	return nil
}

// promise keeps what a checked step will take.
func (e *Engine) promise(step plan.Step, store object.Store, files unit.Bytes) error {
	dir, err := execute.FolderOf(store)
	if err != nil || dir == "" {
		return err
	}
	disk, err := e.o.Disk(dir)
	if err == nil {
		e.promises.make(step.Location, disk, files)
	}
	return err
}
