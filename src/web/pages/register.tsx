import { PageHeading } from '#web/ui/PageHeading.tsx';

export function RegisterPage() {
  return <PageHeading>register</PageHeading>;
}
