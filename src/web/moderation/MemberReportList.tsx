import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MemberReport, MemberReportsFilter } from '#shared/moderation/member-page.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { moderatedMemberPath } from '#web/core/paths.ts';
import { anchorOf } from '#web/posts/index.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { Link } from '#web/ui/Link.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { Time } from '#web/ui/Time.tsx';
import { memberReportsQuery } from './member-page.ts';
import { postKindLabels, reportReasonLabel } from './moderation-messages.ts';
import classes from './moderation.module.css';

const getFilters = (): readonly (readonly [MemberReportsFilter, string])[] => [
  ['about', t`Reports about this member’s posts`],
  ['by', t`Reports by this member`],
];

/** Reports on posts of a member, without the reporters, and those by the member. */
export function MemberReportList({ id }: { id: number }) {
  const [show, setShow] = useState<MemberReportsFilter>('about');
  const query = useInfiniteQuery(memberReportsQuery(id, show));
  return (
    <>
      <div className={classes.filter}>
        <SelectField label={t`Show`} options={getFilters()} value={show} onChange={setShow} />
      </div>
      <PagedList
        query={query}
        noun="results"
        keyOf={(report) => report.id}
        pending={null}
        empty={<EmptyState title={t`No reports`} />}
      >
        {(reports) => (
          <ul className={classes.list}>
            {reports.map((report) => (
              <ReportItem key={report.id} report={report} />
            ))}
          </ul>
        )}
      </PagedList>
    </>
  );
}

function ReportItem({ report }: { report: MemberReport }) {
  const { kind, postId, questionId, title, author } = report;
  const hash = kind === 'question' ? '' : `#${anchorOf({ kind, id: postId })}`;
  return (
    <li className={classes.card} tabIndex={-1} data-shortcut-stop>
      <div className={classes.head}>
        <span className={classes.strong}>{reportReasonLabel(report.reason)}</span>
        <span className={classes.quiet}>{postKindLabels[kind]()}</span>
        <Time at={report.createdAt} />
        <span className={classes.badge}>{describeOutcome(report)}</span>
      </div>
      {questionId === null || title === null ? (
        <p className={classes.quiet}>{t`The post no longer exists.`}</p>
      ) : (
        <Link href={`${questionPath(questionId, title)}${hash}`} dir="auto">
          {title}
        </Link>
      )}
      {author !== null && (
        <p className={classes.quiet}>
          <Trans>
            Post by{' '}
            <Link href={moderatedMemberPath(author.id)} dir="auto">
              {author.displayName}
            </Link>
          </Trans>
        </p>
      )}
      {report.note !== '' && (
        <p className={classes.note} dir="auto">
          {report.note}
        </p>
      )}
    </li>
  );
}

function describeOutcome({ outcome }: MemberReport): string {
  switch (outcome) {
    case null:
      return t`Pending`;
    case 'dismissed':
      return t`Dismissed`;
    case 'resolved':
      return t`Acted on`;
    case 'deleted':
      return t`Deleted by its author`;
  }
}
