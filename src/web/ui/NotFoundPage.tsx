import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePageTitle } from '#web/core/page-title.ts';
import { MessagePage } from './MessagePage.tsx';

export function NotFoundPage() {
  usePageTitle(t`Page not found`);
  return (
    <MessagePage
      heading={t`Page not found`}
      text={t`This page doesn't exist. It may have been moved or deleted.`}
    >
      <Button variant="default" renderRoot={(props) => <Link to="/" {...props} />}>
        {t`Go to Home`}
      </Button>
    </MessagePage>
  );
}
