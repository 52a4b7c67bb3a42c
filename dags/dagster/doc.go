// Package dagster holds one night of ajlo as assets of Dagster, and runs them in a real one under
// the build tag dagster. AJLO_DAGSTER names its venv, which scripts/install-dagster makes.
package dagster
