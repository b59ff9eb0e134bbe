-- An import marks the profiles of programs as bots. They belong to a source, unlike service accounts.
alter table member
  drop constraint member_bot_cannot_sign_in,
  -- Programs have API tokens. They cannot sign in and have no role.
  add constraint member_bot_cannot_sign_in check (
    not is_bot or (email is null and role = 'member' and application is null)
  );
