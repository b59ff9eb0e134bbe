-- New tags that members propose who may not create them (docs/decisions/097).
create table tag_proposal (
  id bigint generated always as identity primary key,
  -- As first written, and for comparison, like a tag.
  name text not null check (char_length(name) between 1 and 35),
  key text not null,
  status text not null default 'open' check (status in ('open', 'approved', 'synonym', 'rejected')),
  -- The tag that the questions get.
  tag_id bigint references tag on delete cascade,
  -- Why it was rejected.
  reason text not null default '' check (char_length(reason) <= 500),
  -- Null if someone else created the tag meanwhile.
  decided_by bigint references member on delete set null,
  created_at timestamptz(3) not null default now(),
  decided_at timestamptz(3),
  -- When all questions had the decision applied.
  applied_at timestamptz(3),
  constraint tag_proposal_decision check (
    (status = 'open') = (decided_at is null) and (status in ('approved', 'synonym')) = (tag_id is not null)
  )
);
comment on table tag_proposal is 'Names of new tags that members propose, open and decided. Proposals of the same name are one row while it is open.';
create unique index tag_proposal_open on tag_proposal (key) where status = 'open';
-- Earlier decisions about a name, the latest first.
create index tag_proposal_key on tag_proposal (key, id desc) where status <> 'open';
-- What the job applies.
create index tag_proposal_to_apply on tag_proposal (id) where status <> 'open' and applied_at is null;
create index tag_proposal_tag_id on tag_proposal (tag_id) where tag_id is not null;
create index tag_proposal_decided_by on tag_proposal (decided_by) where decided_by is not null;

create table tag_proposal_question (
  id bigint generated always as identity primary key,
  proposal_id bigint not null references tag_proposal on delete cascade,
  question_id bigint not null references base_question on delete cascade,
  -- Who proposes the tag: the author of the question.
  member_id bigint not null references member,
  -- Why the tag is needed, in the words of the member.
  reason text not null default '' check (char_length(reason) <= 200),
  created_at timestamptz(3) not null default now(),
  -- When the decision was applied to the question and the member was told; null before.
  applied_at timestamptz(3),
  constraint tag_proposal_question_once unique (proposal_id, question_id)
);
comment on table tag_proposal_question is 'The questions that tags are proposed for.';
create index tag_proposal_question_question_id on tag_proposal_question (question_id);
-- How many a member proposed today.
create index tag_proposal_question_member on tag_proposal_question (member_id, created_at);
create index tag_proposal_question_pending on tag_proposal_question (proposal_id, question_id) where applied_at is null;

-- A proposal waits in the review queue without a post.
alter table review_item
  alter column post_kind drop not null,
  alter column post_id drop not null,
  add column tag_proposal_id bigint references tag_proposal on delete cascade,
  drop constraint review_item_other_cause_check,
  add constraint review_item_other_cause_check check (
    other_cause in ('spam_rule', 'first_post', 'links', 'objection', 'tag_proposal')
  ),
  add constraint review_item_tag_proposal check (
    (post_kind is null) = (post_id is null) and (post_kind is null) = (tag_proposal_id is not null)
    and (other_cause is not distinct from 'tag_proposal') = (tag_proposal_id is not null)
  );
create unique index review_item_tag_proposal_id on review_item (tag_proposal_id) where tag_proposal_id is not null;
comment on table review_item is
  'The review queue: posts with open reports, or that wait for another reason, and proposed tags. The row is deleted when '
  'a moderator decides, or when the last report is withdrawn and there is no other reason.';

-- Tags that a held question proposes: [{"name": "sourdough", "reason": "…"}, …].
alter table held_post
  add column proposed_tags jsonb check (jsonb_typeof(proposed_tags) = 'array'),
  add constraint held_post_proposed_tags check (proposed_tags is null or post_kind = 'question');

alter table moderator_message
  -- The decided proposal that the message is about.
  add column tag_proposal_id bigint references tag_proposal on delete set null,
  drop constraint moderator_message_kind_check,
  add constraint moderator_message_kind_check check (
    kind in (
      'warning', 'suspension', 'hidden', 'deleted', 'restored', 'objection_declined', 'approved', 'rejected',
      'tag_approved', 'tag_synonym', 'tag_rejected'
    )
  ),
  drop constraint moderator_message_reason_check,
  add constraint moderator_message_reason_check check (
    char_length(reason) <= 500 and (
      reason <> '' or kind in (
        'restored', 'objection_declined', 'approved', 'rejected', 'tag_approved', 'tag_synonym'
      )
    )
  );
create index moderator_message_tag_proposal_id on moderator_message (tag_proposal_id) where tag_proposal_id is not null;
