//go:build !linux

package object

func appear(folder, name string, data []byte) error { return appearNamed(folder, name, data) }
