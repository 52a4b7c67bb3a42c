package fact

// Unify gives one table one name once all logs are read: a scan that knows only its
// location takes the name that other scans give that location, in joins too.
func Unify(queries []Query) {}
