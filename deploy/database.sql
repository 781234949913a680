-- The role and the database of the relayers, made at the first start of PostgreSQL: docs/operate.md, "PostgreSQL".
\getenv password DATABASE_PASSWORD
create role sealbook login password :'password';
create database sealbook owner sealbook encoding 'UTF8' template template0;
