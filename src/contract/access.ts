import type { Static } from 'typebox'
import { Choice, Id, Shape } from './page'

/** What someone can no longer see. It has no names: they must not learn more than the id, which they already have. */
export const LostAccess = Shape(
  'LostAccess',
  {
    subject_type: Choice(['channel', 'thread', 'workspace'], { description: 'What you can no longer see.' }),
    subject_id: Id,
    reason: Choice(['made_private', 'removed', 'left', 'role_changed'], {
      description:
        '`role_changed`: you are a guest now, and see only the channels you are in and the people you share something with.',
    }),
  },
  'What you can no longer see: delete your copy of it. For a workspace, list the channels and members again.',
)
export type LostAccess = Static<typeof LostAccess>
