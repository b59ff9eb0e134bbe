-- The list of accounts with links in their profile, for moderators (docs/decisions/094).
create index member_profile_links on member (created_at, id)
  where source_id is null and (bio ~* '(https?://|\mwww\.)' or display_name ~* '(https?://|\mwww\.)');
