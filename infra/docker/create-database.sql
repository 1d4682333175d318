-- The service's role, an ordinary one, and its database. The image of PostgreSQL runs this by psql, as its
-- superuser, when it makes the cluster. pg_monitor lets readiness see what other sessions do.
\getenv password SERVICE_PASSWORD
create role earthquakes login nosuperuser nocreatedb nocreaterole password :'password' in role pg_monitor;
create database earthquakes owner earthquakes;
