-- By which code a window was scored: a window of older code is no reference as it is.
ALTER TABLE windows ADD COLUMN scoring TEXT; -- NULL: of a run before this format
