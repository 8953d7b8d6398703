//! Curves as bytes: all values of a page one after another, and the page's data compressed.
//!
//! A value is the upper three bytes of an IEEE 754 single, rounded to thirteen significant bits (within
//! one part in eight thousand, finer than any screen), and NaN where there is none. Of a curve the first
//! bytes of all values come first, then the second and the third ones: neighbours are alike, and alike
//! bytes side by side compress well.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::deflate::compress_to_vec;
use serde_json::{Value, json};

/// Bits of a single's mantissa that are rounded away.
const ROUNDED: u32 = 11;
/// The level of the compression: one more would cost half as much time again for a hundredth.
const LEVEL: u8 = 8;

/// The values of all curves of a page.
#[derive(Debug, Default)]
pub(super) struct CurveBytes(Vec<u8>);

impl CurveBytes {
    /// Adds a curve; answers its place as the page's data have it: the first byte, and the count.
    pub(super) fn add(&mut self, values: &[Option<f64>]) -> Value {
        let start = self.0.len();
        let bits: Vec<u32> =
            values.iter().map(|value| rounded(value.unwrap_or(f64::NAN))).collect();
        for plane in 0..3 {
            self.0.extend(bits.iter().map(|bits| bits.to_be_bytes()[plane]));
        }
        json!([start, values.len()])
    }

    /// The page's data: the length of its JSON as four bytes, the JSON and the curves, compressed (RFC
    /// 1951) and as text.
    pub(super) fn packed(self, data: &Value) -> String {
        let json = data.to_string();
        let length = u32::try_from(json.len()).unwrap_or(u32::MAX);
        let mut whole = length.to_le_bytes().to_vec();
        whole.extend(json.as_bytes());
        whole.extend(self.0);
        STANDARD.encode(compress_to_vec(&whole, LEVEL))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a screen shows less than a single holds")]
fn rounded(value: f64) -> u32 {
    let value = value as f32;
    if value.is_nan() {
        return f32::NAN.to_bits();
    }
    // Rounds half up in size; what overflows the mantissa goes to the exponent, as it must.
    let bits = value.to_bits();
    let half = 1 << (ROUNDED - 1);
    let up = bits.saturating_add(half);
    let up = if f32::from_bits(up).is_finite() { up } else { bits };
    up & !((1 << ROUNDED) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_kept_to_one_part_in_eight_thousand() {
        for value in [1.0, 1.000_1, 0.001_234_567, -41.253_9, 123_456.7, 1e-30, f64::from(f32::MAX)]
        {
            let kept = f64::from(f32::from_bits(rounded(value)));
            assert!((kept / value - 1.0).abs() <= 1.0 / 8192.0, "{value}: {kept}");
            assert_eq!(rounded(value) & 0xff, 0, "three bytes hold it");
        }
        assert_eq!(rounded(0.0), 0);
        assert!(f32::from_bits(rounded(f64::NAN)).is_nan());
    }

    #[test]
    fn bytes_of_one_place_stand_side_by_side() {
        let mut bytes = CurveBytes::default();
        assert_eq!(bytes.add(&[Some(1.0)]), json!([0, 1]));
        assert_eq!(bytes.add(&[Some(1.0), Some(2.0)]), json!([3, 2]));
        assert_eq!(bytes.0, [0x3f, 0x80, 0, 0x3f, 0x40, 0x80, 0, 0, 0]);
    }

    #[test]
    fn data_come_back_as_they_were() {
        let mut bytes = CurveBytes::default();
        let place = bytes.add(&[Some(8.0), None]);
        let packed = bytes.packed(&json!({ "y": place }));
        let whole = STANDARD.decode(packed).unwrap();
        let whole = miniz_oxide::inflate::decompress_to_vec(&whole).unwrap();
        let text = "{\"y\":[0,2]}";
        assert_eq!(whole[..4], [11, 0, 0, 0]);
        assert_eq!(&whole[4..15], text.as_bytes());
        assert_eq!(whole[15..], [0x41, 0x7f, 0, 0xc0, 0, 0]);
    }
}
