// Words and numbers for people.

// At most `length` characters, with an ellipsis where something was cut; never half of a pair of surrogates.
export function cut(value: string, length: number): string {
  const flat = value.slice(0, 4 * length + 4).replace(/\s+/g, " ");
  const letters = Array.from(flat);
  if (letters.length <= length && value.length <= 4 * length + 4) return flat;
  return letters.slice(0, length - 1).join("") + "…";
}

const prefixes: Record<number, string> = {
  "-15": "f", "-12": "p", "-9": "n", "-6": "µ", "-3": "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T",
};

// A number with `digits` significant ones, plain where that is short, else with a power of ten.
export function number(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e6) return minus(String(Number(value.toPrecision(digits))));
  const power = Math.floor(Math.log10(size));
  const mantissa = Number((value / 10 ** power).toPrecision(digits));
  return minus(`${mantissa}·10${raised(power)}`);
}

// A quantity with an SI prefix: 0.00123 m as 1.23 mm. Units that are no plain letters keep the number as it is.
export function quantity(value: number, unit: string, digits = 4): string {
  if (!/^(N|m|J|s|Hz|W|Pa|rad|V|A)$/.test(unit) || value === 0 || !Number.isFinite(value)) {
    return unit === "" ? number(value, digits) : `${number(value, digits)} ${unit}`;
  }
  const power = 3 * Math.floor(Math.log10(Math.abs(value) * (1 + 1e-12)) / 3);
  // Metres and seconds have no kilo-, mega- here: people expect 1200 m.
  const step = power > 0 && (unit === "m" || unit === "s") ? 0 : power;
  if (!(step in prefixes)) return `${number(value, digits)} ${unit}`;
  return `${number(value / 10 ** step, digits)} ${prefixes[step]}${unit}`;
}

export function minus(value: string): string {
  return value.replace(/-/g, "−");
}

const raisedDigits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
export function raised(power: number): string {
  return (power < 0 ? "⁻" : "") + Array.from(String(Math.abs(power)), (d) => raisedDigits[Number(d)]).join("");
}

// Ticks at 1, 2 or 5 times a power of ten, about `wanted` of them, within [low, high].
export function ticks(low: number, high: number, wanted: number): number[] {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  const raw = span / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [10, 5, 2, 1].map((factor) => factor * power).find((each) => each <= 1.4 * raw) ?? power;
  const out: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step && out.length < 100; i++) out.push(i * step);
  return out;
}

// Text of a tick: all ticks of an axis share their digits.
export function tickText(value: number, step: number): string {
  const size = Math.max(Math.abs(value), step);
  if (value === 0 || Math.abs(value) < 1e-9 * step) return "0";
  if (size >= 1e5 || size < 1e-3) {
    const power = Math.floor(Math.log10(Math.abs(value)) + 1e-9);
    const digits = Math.max(0, power - Math.floor(Math.log10(step) + 1e-9));
    return minus((value / 10 ** power).toFixed(Math.min(digits, 12))) + "·10" + raised(power);
  }
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return minus(value.toFixed(Math.min(digits, 12)));
}
