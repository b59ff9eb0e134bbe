import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import classes from './Account.module.css';

/** A link as any other: the browser shows how far the download is. */
export function DataExport() {
  return (
    <div className={classes.part}>
      <Button
        variant="default"
        renderRoot={({ children, ...props }) => (
          <a {...props} href="/api/download" download>
            {children}
          </a>
        )}
      >
        {t`Download my data`}
      </Button>
    </div>
  );
}
