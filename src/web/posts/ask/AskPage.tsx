import { t } from '@lingui/core/macro';
import { useRouter } from '#web/core/router.ts';
import { useState } from 'react';
import { AskForm } from './AskForm.tsx';
import { useMember } from '#web/core/session.ts';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import classes from '#web/ui/page.module.css';
import { questionPath } from '#shared/posts/question-paths.ts';

export function AskPage() {
  usePageTitle(t`Ask a question`);
  const router = useRouter();
  const current = useMember();
  // When the session ends while the form is open, the draft stays with the member who typed it.
  const [member, setMember] = useState(current);
  if (current !== null && current.id !== member?.id) setMember(current);

  return (
    <>
      <PageHeading className={classes.heading}>{t`Ask a question`}</PageHeading>
      {member !== null && (
        <AskForm
          key={member.id}
          member={member}
          signedOut={current === null}
          onPosted={(id) => void router.navigate(questionPath(id), { replace: true })}
        />
      )}
    </>
  );
}
