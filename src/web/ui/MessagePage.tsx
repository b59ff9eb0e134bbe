import { t } from '@lingui/core/macro';
import { Button } from './Button.tsx';
import { Link } from './Link.tsx';
import type { ReactNode } from 'react';
import { useRootAttribute } from '#web/core/root-attribute.ts';
import { PageHeading, usePageTitle } from './PageHeading.tsx';
import classes from './page.module.css';

type Props = {
  heading: string;
  text: string;
  /** The page replaces the message of the connection banner. */
  outage?: boolean;
  children?: ReactNode;
};

/** A page with one message and one action. */
export function MessagePage({ heading, text, outage = false, children }: Props) {
  useRootAttribute('data-outage', outage);
  return (
    <section className={classes.message}>
      <PageHeading className={classes.messageHeading}>{heading}</PageHeading>
      <p className={classes.messageText}>{text}</p>
      {children}
    </section>
  );
}

export function NotFoundPage() {
  usePageTitle(t`Page not found`);
  return (
    <MessagePage
      heading={t`Page not found`}
      text={t`This page doesn't exist. It may have been moved or deleted.`}
    >
      <Button variant="default" renderRoot={(props) => <Link href="/" {...props} />}>
        {t`Go to Home`}
      </Button>
    </MessagePage>
  );
}
