-- What was changed, by which run, why, what was promised and what it cost?
SELECT changed_at, table_name, layout, why, promised_saved_bytes_per_window, rewritten_bytes, effects, approved_by, run
FROM audit_changes
ORDER BY changed_at;
