import { PageHeading } from '#web/ui/PageHeading.tsx';

export function AskPage() {
  return <PageHeading>ask</PageHeading>;
}
