-- Which tables were never changed, and why not?
SELECT table_name, why, last_step FROM audit_untouched ORDER BY table_name;
