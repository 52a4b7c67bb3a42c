-- How many applications had a query in the window, beside the task time that is there: a window
-- that shows far fewer than those before it was not seen whole (rule 6).
ALTER TABLE windows ADD COLUMN applications INTEGER; -- NULL: of a run before this format
