#!/bin/sh
# Runs once, when the database is made: the program's role owns its database and is no superuser.
set -eu
psql --set ON_ERROR_STOP=1 --username postgres --dbname postgres --set password="$DATABASE_PASSWORD" <<'SQL'
CREATE ROLE interrater LOGIN PASSWORD :'password';
CREATE DATABASE interrater OWNER interrater;
SQL
