// Package airflow holds one night of ajlo as a DAG for Airflow, and runs it on a real one under
// the build tag airflow. AJLO_AIRFLOW names its venv, which scripts/install-airflow makes.
package airflow
