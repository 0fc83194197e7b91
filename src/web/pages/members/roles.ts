import type { Role } from '../../../contract/members'

/** The roles and what they can do, strongest first. */
export const roles: { role: Role; label: string; plural: string; description: string }[] = [
  {
    role: 'admin',
    label: 'Admin',
    plural: 'Admins',
    description: 'Can read and write, and manage members, channels and apps.',
  },
  { role: 'member', label: 'Member', plural: 'Members', description: 'Can read and write.' },
  { role: 'viewer', label: 'Viewer', plural: 'Viewers', description: 'Can read only.' },
  {
    role: 'guest',
    label: 'Guest',
    plural: 'Guests',
    description: 'Can read and write where they are added, and see nothing else.',
  },
]

export const roleLabel = (role: Role) => roles.find((known) => known.role === role)!.label
