package state

import "context"

// Missed reports whether a night is still to be run on a state that has been in use by then:
// none of its runs came to an end that lets it rest. A state that holds no run yet has missed
// nothing.
func (s *Store) Missed(ctx context.Context, night string) (bool, error) {
	const query = `SELECT EXISTS (SELECT 1 FROM runs WHERE night <= ?1) AND NOT EXISTS (
		SELECT 1 FROM runs WHERE night = ?1 AND outcome NOT IN ('failed', 'interrupted', 'applied_in_part'))`
	found, err := collect(ctx, s.db, scanAny(1), query, night)
	if err != nil {
		return false, explain(err)
	}
	return found[0][0] == int64(1), nil
}
