import { PageHeading } from '#web/ui/PageHeading.tsx';

export function HomePage() {
  return <PageHeading>home</PageHeading>;
}
