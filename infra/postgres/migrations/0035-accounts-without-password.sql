-- Accounts that an administrator made have no password until their owner has chosen one.
alter table vault.credentials alter column password_hash drop not null;
