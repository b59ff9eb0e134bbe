import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { Notification, NotificationKind } from '#shared/notifications/notifications.ts';
import classes from './NotificationList.module.css';

/** What a notification says (docs/product.md 12.3), in the language shown. */
export function NotificationMessage({ of: { kind, senderName, title } }: { of: Notification }) {
  // What members wrote keeps its own direction, and a long name leaves room for what happened.
  const name = (
    <bdi className={classes.senderName} title={senderName}>
      {senderName}
    </bdi>
  );
  return notificationMessages[kind](name, <bdi>{title}</bdi>);
}

const notificationMessages: Readonly<
  Record<NotificationKind, (name: ReactNode, title: ReactNode) => ReactNode>
> = {
  answer: (name, title) => (
    <Trans>
      {name} answered your question "{title}"
    </Trans>
  ),
  followed_answer: (name, title) => (
    <Trans>
      {name} answered a question you follow: "{title}"
    </Trans>
  ),
  reply_to_question: (name, title) => (
    <Trans>
      {name} replied to your question "{title}"
    </Trans>
  ),
  reply_to_answer: (name) => <Trans>{name} replied to your answer</Trans>,
  reply_to_reply: (name) => <Trans>{name} replied to your reply</Trans>,
  vote_question: (name, title) => (
    <Trans>
      {name} upvoted your question "{title}"
    </Trans>
  ),
  vote_answer: (name) => <Trans>{name} upvoted your answer</Trans>,
  vote_reply: (name) => <Trans>{name} upvoted your reply</Trans>,
  accepted: (name, title) => (
    <Trans>
      {name} accepted your answer to "{title}"
    </Trans>
  ),
  accepted_followed: (name, title) => (
    <Trans>
      {name} accepted an answer to a question you follow: "{title}"
    </Trans>
  ),
  mention: (name, title) => (
    <Trans>
      {name} mentioned you in "{title}"
    </Trans>
  ),
};
