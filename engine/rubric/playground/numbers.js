// Sums, rounding and numbers as text: the same digits as in Python.
"use strict";

const Numbers = (() => {
  // Exact summation (Shewchuk), rounded once: Python's math.fsum.
  function fsum(values) {
    const partials = [];
    for (let x of values) {
      let kept = 0;
      for (let y of partials) {
        if (Math.abs(x) < Math.abs(y)) [x, y] = [y, x];
        const high = x + y;
        const low = y - (high - x);
        if (low !== 0) partials[kept++] = low;
        x = high;
      }
      partials.length = kept;
      partials.push(x);
    }
    let at = partials.length;
    if (at === 0) return 0;
    let high = partials[--at];
    let low = 0;
    while (at > 0) {
      const x = high;
      const y = partials[--at];
      high = x + y;
      low = y - (high - x);
      if (low !== 0) break;
    }
    if (at > 0 && ((low < 0 && partials[at - 1] < 0) || (low > 0 && partials[at - 1] > 0))) {
      const y = low * 2;
      const x = high + y;
      if (y === x - high) high = x;
    }
    return high;
  }

  // A score from 0 to 1, half up to 4 decimals (parts.py: rounded).
  const rounded = (score) => Math.trunc(score * 10000 + 0.50000001) / 10000;

  // The digits of a finite number and the power of ten of the last one.
  function decimal(x) {
    const [, sign, whole, part = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/u.exec(String(x));
    return { negative: sign === "-", digits: BigInt(whole + part), power: Number(exponent) - part.length };
  }

  // Every digit, without an exponent (numbers.py: plain).
  function plain(x) {
    if (x === 0) return Object.is(x, -0) ? "-0" : "0";
    if (!Number.isFinite(x)) return String(x);
    const { negative, digits, power } = decimal(x);
    const sign = negative ? "-" : "";
    if (power >= 0) return sign + String(digits * 10n ** BigInt(power));
    const padded = String(digits).padStart(1 - power, "0");
    return `${sign}${padded.slice(0, power)}.${padded.slice(power)}`.replace(/\.?0+$/u, "");
  }

  // Any number, half away from zero to 4 decimals, taken as the decimal it is written as (measures/rounding.py).
  function halfUp(x) {
    const { negative, digits, power } = decimal(x);
    let scaled;
    if (power >= -4) scaled = digits * 10n ** BigInt(power + 4);
    else {
      const divisor = 10n ** BigInt(-4 - power);
      scaled = (2n * digits + divisor) / (2n * divisor);
    }
    return Number(`${negative ? "-" : ""}${scaled}e-4`) || 0;
  }

  // Python's format(x, ".6g") and the like, but that an exact half is rounded up. Only for people to read.
  function general(x, places) {
    if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf";
    if (x === 0) return Object.is(x, -0) ? "-0" : "0";
    const [mantissa, exponent] = x.toExponential(places - 1).split("e");
    const power = Number(exponent);
    const trim = (text) => text.includes(".") ? text.replace(/\.?0+$/u, "") : text;
    if (power >= -4 && power < places) return trim(x.toFixed(places - 1 - power));
    const sign = power < 0 ? "-" : "+";
    return `${trim(mantissa)}e${sign}${String(Math.abs(power)).padStart(2, "0")}`;
  }

  return { fsum, general, halfUp, plain, rounded };
})();
