import type { Role } from '../../../contract/members'
import { roles } from './roles'

/** The roles with what each of them can do. */
export function RoleChoice({ value, onChange }: { value: Role; onChange(role: Role): void }) {
  return (
    <fieldset className="role-choice">
      <legend>Role</legend>
      {roles.map(({ role, label, description }) => (
        <label key={role}>
          <input type="radio" name="role" value={role} checked={value === role} onChange={() => onChange(role)} />
          <span>
            {label}
            <span className="meta">{description}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
