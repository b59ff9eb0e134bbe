import { t } from '@lingui/core/macro';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MemberPost, MemberPostsFilter } from '#shared/moderation/member-page.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { anchorOf } from '#web/posts/index.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { Link } from '#web/ui/Link.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { Time } from '#web/ui/Time.tsx';
import { memberPostsQuery } from './member-page.ts';
import { postKindLabels } from './moderation-messages.ts';
import classes from './moderation.module.css';

const getFilters = (): readonly (readonly [MemberPostsFilter, string])[] => [
  ['visible', t`Visible`],
  ['hidden', t`Hidden or deleted by a moderator`],
  ['held', t`Waiting or rejected`],
];

/** The posts of a member, with those that others do not see. */
export function MemberPostList({ id }: { id: number }) {
  const [show, setShow] = useState<MemberPostsFilter>('visible');
  const query = useInfiniteQuery(memberPostsQuery(id, show));
  return (
    <>
      <div className={classes.filter}>
        <SelectField label={t`Show`} options={getFilters()} value={show} onChange={setShow} />
      </div>
      <PagedList
        query={query}
        noun="results"
        keyOf={(post) => `${post.kind} ${post.id}`}
        pending={null}
        empty={<EmptyState title={t`No such posts`} />}
      >
        {(posts) => (
          <ul className={classes.list}>
            {posts.map((post) => (
              <PostItem key={`${post.kind} ${post.id}`} post={post} />
            ))}
          </ul>
        )}
      </PagedList>
    </>
  );
}

function PostItem({ post }: { post: MemberPost }) {
  const { kind, id, questionId, title, reason, objection } = post;
  const hash = kind === 'question' ? '' : `#${anchorOf({ kind, id })}`;
  const status = describeStatus(post);
  return (
    <li className={classes.card} tabIndex={-1} data-shortcut-stop>
      <div className={classes.head}>
        <span className={classes.quiet}>{postKindLabels[kind]()}</span>
        <Time at={post.createdAt} />
        {status !== null && <span className={classes.badge}>{status}</span>}
      </div>
      <Link href={`${questionPath(questionId, title)}${hash}`} className={classes.strong} dir="auto">
        {title}
      </Link>
      <p dir="auto">{post.excerptCut ? `${post.excerpt}…` : post.excerpt}</p>
      {reason !== null && reason !== '' && (
        <p className={classes.note} dir="auto">
          {reason}
        </p>
      )}
      {objection !== null && (
        <p className={classes.note} dir="auto">
          {objection.decided ? t`Declined objection: ${objection.text}` : t`Objection: ${objection.text}`}
        </p>
      )}
    </li>
  );
}

function describeStatus({ status }: MemberPost): string | null {
  switch (status) {
    case 'visible':
      return null;
    case 'hidden':
      return t`Hidden`;
    case 'deleted':
      return t`Deleted by a moderator`;
    case 'held':
      return t`Waiting for a moderator`;
    case 'rejected':
      return t`Rejected`;
  }
}
