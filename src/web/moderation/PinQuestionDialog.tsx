import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { paths } from '#web/core/paths.ts';
import { toast } from '#web/core/toast.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { Link } from '#web/ui/Link.tsx';
import { FormSelect } from '#web/ui/FormSelect.tsx';
import { LastDayField } from './AnnouncementForm.tsx';
import { endOfDay, postAnnouncement } from './announcements.ts';
import classes from './moderation.module.css';

/** Pins a question above the list of the home page or of one of its tags. */
export default function PinQuestionDialog({
  question,
  opener,
  onClose,
}: {
  question: { id: number; tags: readonly string[] };
  opener: () => HTMLElement | null;
  onClose: () => void;
}) {
  const client = useQueryClient();
  /** Empty for the home page. */
  const [tag, setTag] = useState('');
  const [lastDay, setLastDay] = useState('');
  const pin = useMutation({
    mutationFn: () =>
      postAnnouncement(client, {
        questionId: question.id,
        text: '',
        link: '',
        tag: tag === '' ? null : tag,
        until: endOfDay(lastDay),
      }),
    onSuccess: () => {
      toast(t`Question pinned`);
      onClose();
    },
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!pin.isPending) pin.mutate();
  }

  return (
    <Dialog title={t`Pin question`} opened onClose={onClose} opener={opener}>
      <form className={classes.form} noValidate onSubmit={submit}>
        <FormSelect
          label={t`Where`}
          options={[['', t`Home page`], ...question.tags.map((each) => [each, each] as const)]}
          value={tag}
          onChange={setTag}
        />
        <LastDayField value={lastDay} onChange={setLastDay} />
        <p className={classes.quiet}>
          <Link href={paths.announcements}>{t`All announcements and pinned questions`}</Link>
        </p>
        <FormError message={pin.error?.message ?? null} />
        <div className={classes.buttons}>
          <Button variant="default" onClick={onClose}>{t`Cancel`}</Button>
          <Button type="submit" loading={pin.isPending}>
            {t`Pin question`}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
