-- The account of an institute (OpenID Connect) that an account here is tied to: its issuer, and a pseudonym of
-- issuer and subject. Both null for an account that has only a password.
alter table read_model.users
  add column identity_issuer text,
  add column identity_hmac text unique;
