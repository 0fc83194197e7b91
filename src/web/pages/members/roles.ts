import type { Role } from '../../../contract/members'

/** The roles and what they can do, strongest first. */
export const roles: { role: Role; label: string; plural: string; may: string }[] = [
  { role: 'admin', label: 'Admin', plural: 'Admins', may: 'Reads, writes, and manages members, channels and apps.' },
  { role: 'member', label: 'Member', plural: 'Members', may: 'Reads and writes.' },
  { role: 'viewer', label: 'Viewer', plural: 'Viewers', may: 'Reads, writes nothing.' },
  {
    role: 'guest',
    label: 'Guest',
    plural: 'Guests',
    may: 'Reads and writes where they were added, and sees nothing else.',
  },
]

export const roleLabel = (role: Role) => roles.find((known) => known.role === role)!.label
