-- The review queue has posts for other reasons than reports, too (docs/decisions/073): first posts and links of new
-- members. A post is in it once.
alter table reported_post rename to review_item;
alter table review_item rename column first_reported_at to created_at;
alter table review_item
  drop constraint reported_post_open_reports_check,
  add constraint review_item_open_reports_check check (open_reports >= 0),
  -- Why the post waits apart from reports.
  add other_cause text check (other_cause in ('first_post', 'links')),
  add constraint review_item_has_a_cause check (open_reports > 0 or other_cause is not null),
  add cause text not null generated always as (case when open_reports > 0 then 'report' else other_cause end) stored,
  -- The moderator who works on it, until when.
  add claimed_by bigint references member on delete set null,
  add claimed_until timestamptz(3),
  add constraint review_item_claim_has_an_end check (claimed_by is null or claimed_until is not null);
comment on table review_item is
  'The review queue: posts with open reports, or that wait for another reason. The row is deleted when a moderator '
  'decides, or when the last report is withdrawn and there is no other reason.';

alter index reported_post_pkey rename to review_item_pkey;
alter index reported_post_post_kind_post_id_key rename to review_item_post_kind_post_id_key;
-- The queue, the most reported posts first.
alter index reported_post_queue rename to review_item_queue;
-- The queue of one cause, and its count.
create index review_item_cause on review_item (cause, open_reports desc, id desc);
-- Claims of a moderator whose account is deleted.
create index review_item_claimed_by on review_item (claimed_by) where claimed_by is not null;

-- For nodes of the previous version, which know reports only.
create view reported_post as
  select id, post_kind, post_id, open_reports, created_at as first_reported_at from review_item where open_reports > 0;
comment on view reported_post is 'Posts with open reports, for nodes of the previous version.';
