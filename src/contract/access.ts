import type { Static } from 'typebox'
import { Choice, Id, Shape } from './page'

/** What someone can no longer see. It names nothing: they may not know more than the id they already have. */
export const LostAccess = Shape(
  'LostAccess',
  {
    subject_type: Choice(['channel', 'thread', 'workspace'], { description: 'What you may no longer see.' }),
    subject_id: Id,
    reason: Choice(['made_private', 'removed', 'left', 'role_changed'], {
      description:
        '`role_changed`: you are a guest now, and see only the channels you are in and the people you share something with.',
    }),
  },
  'What you can no longer see: forget your copy of it. For a workspace, list the channels and members again.',
)
export type LostAccess = Static<typeof LostAccess>
