-- What an imported profile showed on its site: badges, location and website (docs/decisions/119).
create table imported_badge (
  id bigint generated always as identity primary key,
  -- The imported profile, or the account that it was merged into.
  member_id bigint not null references member on delete cascade,
  source_id bigint not null references import_source,
  -- The profile on the site.
  source_key text not null,
  name text not null check (char_length(name) between 1 and 100),
  -- Null if the archive does not say.
  class text check (class in ('gold', 'silver', 'bronze')),
  -- Whether the name is that of a tag.
  is_tag_based boolean not null default false,
  -- How often it was awarded.
  awards integer not null default 1 check (awards > 0),
  first_at timestamptz(3) not null,
  last_at timestamptz(3) not null check (last_at >= first_at),
  -- The import that added it.
  run_id bigint references import_run on delete set null,
  unique nulls not distinct (source_id, source_key, name, class, is_tag_based)
);
comment on table imported_badge is 'Badges of imported profiles on their site. They have no effect here.';
create index imported_badge_member on imported_badge (member_id);
create index imported_badge_run on imported_badge (run_id);

alter table member
  add location text check (char_length(location) between 1 and 100),
  add website text check (char_length(website) between 1 and 200 and website ~ '^https?://');

alter table imported_row
  -- The location and the website in the archive that was imported last, as hashes like content_hash. Null for rows from
  -- before 0071 until the next import.
  add location_hash uuid,
  add website_hash uuid;

-- The list of accounts with links in their profile has those with a website.
drop index member_profile_links;
create index member_profile_links on member (created_at, id)
  where source_id is null
    and (bio ~* '(https?://|\mwww\.)' or display_name ~* '(https?://|\mwww\.)' or website is not null);
