import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId } from 'react'
import type { Profile } from '../../../../contract/members'
import { updateName, updateProfile, useMe } from '../../../data/me'
import { Button } from '../../../parts/button'
import { Field, getFieldError } from '../../../parts/field'
import { formatTimeZone } from '../../../parts/local-time'
import { notify } from '../../../parts/notices'
import { ProblemNote } from '../../../parts/states'
import { useEditedText } from '../../../parts/use-edited-text'

/** Name, job title and time zone. */
export function ProfileForm({ profile }: { profile: Profile }) {
  const { author } = useMe()
  const [name, setName] = useEditedText(author.name)
  const [jobTitle, setJobTitle] = useEditedText(profile.job_title ?? '')
  const [timeZone, setTimeZone] = useEditedText(profile.time_zone ?? '')
  const isOtherName = name.trim() !== author.name
  const isOtherProfile = jobTitle.trim() !== (profile.job_title ?? '') || timeZone !== (profile.time_zone ?? '')
  const save = useMutation({
    async mutationFn() {
      if (isOtherName) await updateName(name)
      if (isOtherProfile) await updateProfile({ job_title: jobTitle, time_zone: timeZone })
    },
    onSuccess: () => notify('Profile saved'),
  })
  const isUnchanged = !isOtherName && !isOtherProfile
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isUnchanged && !save.isPending) save.mutate()
  }
  const errors = ['display_name', 'job_title', 'time_zone'].map((field) => getFieldError(save.error, field))
  return (
    <form className="form" onSubmit={submit} aria-label="Profile">
      <Field
        label="Name"
        name="name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        maxLength={100}
        required
        autoComplete="name"
        error={errors[0]}
      />
      <Field
        label="Job title"
        name="job-title"
        value={jobTitle}
        onChange={(event) => setJobTitle(event.target.value)}
        maxLength={100}
        autoComplete="organization-title"
        error={errors[1]}
      />
      <TimeZoneChoice value={timeZone} onChange={setTimeZone} />
      {save.error && !errors.some(Boolean) && <ProblemNote error={save.error} />}
      <div>
        <Button
          type="submit"
          variant="primary"
          disabled={save.isPending}
          disabledReason={isUnchanged ? 'Nothing has changed yet.' : undefined}
        >
          Save
        </Button>
      </div>
    </form>
  )
}

const zones = Intl.supportedValuesOf('timeZone')
const areas = [...new Set(zones.map((zone) => zone.split('/')[0]!))]
const deviceZone = new Intl.DateTimeFormat().resolvedOptions().timeZone

function TimeZoneChoice({ value, onChange }: { value: string; onChange(zone: string): void }) {
  const id = useId()
  const others = [deviceZone, value].filter((zone, at, all) => zone && all.indexOf(zone) === at)
  const option = (zone: string) => (
    <option key={zone} value={zone}>
      {formatTimeZone(zone)}
    </option>
  )
  return (
    <div className="field">
      <label htmlFor={id}>Time zone</label>
      <select
        id={id}
        className="input"
        value={value}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">Not set</option>
        {others.map(option)}
        {areas.map((area) => (
          <optgroup key={area} label={area}>
            {zones.filter((zone) => zone.startsWith(`${area}/`) && !others.includes(zone)).map(option)}
          </optgroup>
        ))}
      </select>
      <p id={`${id}-hint`} className="hint">
        Others see your local time on your profile.
      </p>
    </div>
  )
}
