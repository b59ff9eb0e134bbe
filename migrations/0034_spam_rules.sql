-- Posts of new members that match a spam rule wait in the review queue (docs/decisions/076).
alter table review_item
  drop constraint review_item_other_cause_check,
  add constraint review_item_other_cause_check check (
    other_cause in ('spam_rule', 'first_post', 'links', 'objection')
  ),
  -- The rules that the post matched when it was written: [{"rule": "word", "value": "casino"}, …].
  add column matched_rules jsonb check (jsonb_typeof(matched_rules) = 'array'),
  add constraint review_item_spam_rule check ((other_cause is not distinct from 'spam_rule') = (matched_rules is not null));
