import { lazy, Suspense } from 'react'
import { useNeedsSetup } from '../../data/setup'

const Checklist = lazy(() => import('./checklist'))

/** The checklist of a new workspace, where it is needed. Its code is loaded only then. */
export const Setup = () =>
  useNeedsSetup() ? (
    <Suspense>
      <Checklist />
    </Suspense>
  ) : null
